//===- TloopKernel.td - kernels and their launches ---------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_TLOOP_KERNEL_TD
#define SINTER_TLOOP_KERNEL_TD

include "TloopDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tloop_KernelOp : Tloop_Op<"kernel",
    [IsolatedFromAbove, Symbol, FunctionOpInterface, AffineScope, SingleBlock]> {
  let summary = "what one launch computes";
  let description = [{
    Stages in execution order over shared operands. `roles` has an entry per argument (`input`,
    `constant`, or `output` for a destination), `layouts` an entry per argument and then per result
    (`unit` is row-major). Values between stages are temporaries that live within a block.

    Example:

    ```mlir
    tloop.kernel @relu(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {roles = ["input"]} {
      %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"]
        ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
        body {
        ^bb0(%a: f32):
          %c0 = arith.constant 0.0 : f32
          %0 = arith.maximumf %a, %c0 : f32
          tloop.yield %0 : f32
        } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
      tloop.return %y : tensor<4x16xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<ListOf<["input", "constant", "output"]>>:$roles,
    OptionalAttr<ArrayAttr>:$layouts,
    OptionalAttr<AnyAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tloop_ReturnOp : Tloop_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "results of a kernel";
  let description = [{
    Example:

    ```mlir
    tloop.return %y : tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Variadic<SinterTensorOrBuffer>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Tloop_LaunchOp : Tloop_Op<"launch", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    Operands that the kernel writes into (role `output`) are destinations: the result is the operand
    with its part replaced.

    Example:

    ```mlir
    %y = tloop.launch @relu(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<SinterTensor>:$inputs);
  let results = (outs Variadic<SinterTensor>:$results);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

def Tloop_CallOp : Tloop_Op<"call",
    [Pure, HasParent<"KernelOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the stages of another kernel";
  let description = [{
    The stages of the callee take the place of the call wherever the kernel is lowered: they share its grid and its
    tiles like stages of its own. The callee is over logical shapes, without layouts and destinations; whether it
    has a schedule for launches of its own does not matter here.

    Example:

    ```mlir
    %w = tloop.call @softmax(%scores) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<SinterTensor>:$inputs);
  let results = (outs Variadic<SinterTensor>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

#endif // SINTER_TLOOP_KERNEL_TD
