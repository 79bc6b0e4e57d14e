func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.relu %x : tensor<64x64xf32>
  %1 = graph.exp %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
