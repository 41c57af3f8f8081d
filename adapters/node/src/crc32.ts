/** CRC-32 (IEEE 802.3, as in zip and PNG) of `bytes[start, end)`; `node:zlib` has one, but not on every host this runs on. */
export function crc32(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  table ??= makeTable()
  let crc = -1
  for (let i = start; i < end; i++) crc = table[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8)
  return ~crc >>> 0
}

let table: Int32Array | undefined

function makeTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    return crc
  })
}
