const CODES: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

/** Whether a socket failed before a byte was sent: the server is not there, and nothing can have been changed. */
export const isUnreachable = ({ code = '', syscall }: NodeJS.ErrnoException): boolean =>
  syscall === 'connect' || CODES.has(code)
