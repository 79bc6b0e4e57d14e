irdl.dialect @dsp {
  irdl.operation @odd attributes {sinter.effects = "few"} {
    %element = irdl.any
    irdl.results(result: %element)
  }
}
