pdl.pattern @again : benefit(1) {
  %x = pdl.operand
  %type = pdl.type
  %relu = pdl.operation "graph.relu"(%x : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %relu {
    %again = pdl.operation "graph.relu"(%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %relu with %again
  }
}
