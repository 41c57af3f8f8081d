import { decide } from '../../ten-lines.mjs'

export const runtime = 'edge'

/** Decides in the edge runtime, which compiles no WebAssembly. */
export const GET = async () => new Response(await decide())
