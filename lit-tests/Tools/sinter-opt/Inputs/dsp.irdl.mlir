// Operators of signal processing, defined at run time. `sinter.effects` is none, read or write; without it
// an operation may do anything.

irdl.dialect @dsp {
  irdl.operation @squareplus attributes {sinter.effects = "none"} {
    %element = irdl.any
    %roundness = irdl.any
    irdl.operands(input: %element)
    irdl.attributes {"roundness" = %roundness}
    irdl.results(result: %element)
  }

  irdl.operation @sample attributes {sinter.effects = "read"} {
    %element = irdl.any
    irdl.results(result: %element)
  }

  irdl.operation @emit attributes {sinter.effects = "write"} {
    %element = irdl.any
    irdl.operands(value: %element)
    irdl.results(done: %element)
  }

  irdl.operation @unknown {
    %element = irdl.any
    irdl.operands(value: %element)
    irdl.results(result: %element)
  }
}
