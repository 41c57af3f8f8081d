// FIPS 180-4. Reports are made in browsers too, where the host's own hash only answers later.
const ROUNDS = 64
const MANTISSA = 2 ** 32

/** The first 32 bits behind the point of the square or cube roots of the first primes. */
function roots(count: number, degree: 2 | 3): Uint32Array {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return Uint32Array.from(primes, (prime) => ((degree === 2 ? Math.sqrt(prime) : Math.cbrt(prime)) % 1) * MANTISSA)
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** SHA-256 of a text in UTF-8, as base64: what a Content-Security-Policy allows a script or a style by. */
export function sha256Base64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  const constants = roots(ROUNDS, 3)
  const state = roots(8, 2)
  const words = new Uint32Array(ROUNDS)
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(block + i * 4)
    for (let i = 16; i < ROUNDS; i++) {
      const [w15, w2] = [words[i - 15]!, words[i - 2]!]
      const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
      const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
      words[i] = words[i - 16]! + s0 + words[i - 7]! + s1
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < ROUNDS; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!) | 0
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = state[i]! + word
    })
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, i) => {
    digest.setUint32(i * 4, word)
  })
  return btoa(String.fromCharCode(...new Uint8Array(digest.buffer)))
}
