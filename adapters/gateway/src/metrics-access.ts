import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether only this machine reaches what listens there. */
export const isLoopback = (address: string): boolean => address === '::1' || /^(::ffff:)?127\./.test(address)

/** Whether a request shows the token, in a time that does not tell how much of it was right. */
export function isBearer(authorization: string | undefined, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(authorization ?? ''), hash(`Bearer ${token}`))
}
