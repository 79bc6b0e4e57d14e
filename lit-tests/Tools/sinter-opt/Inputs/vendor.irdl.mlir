irdl.dialect @vendor {
  irdl.operation @gate {
    %0 = irdl.any
    irdl.operands(input: %0)
    irdl.results(result: %0)
  }
}
