pdl.pattern @silu : benefit(1) {
  %x = pdl.operand
  %type = pdl.type
  %sigmoid = pdl.operation "graph.sigmoidd"(%x : !pdl.value) -> (%type : !pdl.type)
  %gate = pdl.result 0 of %sigmoid
  %mul = pdl.operation "graph.mul"(%x, %gate : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %mul {
    %silu = pdl.operation "graph.silu"(%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %mul with %silu
  }
}
