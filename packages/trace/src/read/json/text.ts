const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** @throws when the text is longer than the engine's longest string */
export function decodeUtf8(bytes: Uint8Array, from: number, to: number): string {
  return utf8.decode(bytes.subarray(from, to))
}

/** What a JSON string with its quotes says, by the engine's own rules for escapes and surrogates. */
export function decodeJsonString(bytes: Uint8Array, from: number, to: number): string {
  return JSON.parse(decodeUtf8(bytes, from, to)) as string
}
