export * from '@trimtab/onnx'
