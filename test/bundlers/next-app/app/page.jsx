import { decide } from '../ten-lines.mjs'

export const dynamic = 'force-dynamic'

/** Decides on the server, when it is asked. */
export default async function Page() {
  return <output>{await decide()}</output>
}
