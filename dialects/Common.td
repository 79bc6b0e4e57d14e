//===- Common.td - constraints shared by the dialects -----------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_COMMON_TD
#define SINTER_COMMON_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// Element types of tensors and buffers.
defvar SinterElements = [F32, F64, F16, BF16, I64, I32, I8, UI8, I1];
def SinterElement : AnyTypeOf<SinterElements>;

/// A ranked tensor; extents may be unknown.
def SinterTensor : RankedTensorOf<SinterElements>;

/// A buffer in some memory space.
def SinterBuffer : MemRefRankOf<SinterElements, [0, 1, 2, 3, 4, 5, 6, 7, 8]>;

/// A tensor before bufferisation, a buffer after it.
def SinterTensorOrBuffer : AnyTypeOf<[SinterTensor, SinterBuffer]>;

/// One of a few words. Written bare in assembly: `custom<Word>($kind)`.
class OneOf<list<string> words> : ConfinedAttr<StrAttr, [
  AttrConstraint<
    CPred<"::llvm::is_contained(std::initializer_list<::llvm::StringRef>{\""
          # !interleave(words, "\", \"") # "\"}, "
          "::llvm::cast<::mlir::StringAttr>($_self).getValue())">,
    "one of " # !interleave(words, ", ")>]>;

/// A list of such words: `["parallel", "reduction"]`.
class ListOf<list<string> words> : TypedArrayAttrBase<OneOf<words>,
  "list of " # !interleave(words, ", ")>;

def EmptyMaps : DefaultValuedAttr<AffineMapArrayAttr, "{}">;

#endif // SINTER_COMMON_TD
