/** What waits for a place at an upstream, and teaches. */
export type CompletionRoute = 'chat' | 'completions' | 'responses' | 'messages'

/** What a request is to the gateway; `other` goes on to the upstream without waiting. */
export type Route = CompletionRoute | 'other' | 'health' | 'metrics'

/** Ends of paths, the longest first: those of OpenAI's completions and responses, and of Anthropic's messages. */
const COMPLETIONS: readonly (readonly [end: string, route: CompletionRoute])[] = [
  ['/chat/completions', 'chat'],
  ['/completions', 'completions'],
  ['/responses', 'responses'],
  ['/messages', 'messages'],
]

/**
 * Recognises completions under any prefix (`/v1`, Azure's `/openai/deployments/NAME`), and however the path is spelled: what a server
 * would decode to the same path may not walk around the queue.
 */
export function routeOf(method: string, target: string): Route {
  const path = normalise(target)
  if (method === 'POST') {
    if (/\/threads\/[^/]+\/messages$/.test(path)) return 'other' // OpenAI's assistants: a message is stored, nothing is answered
    return COMPLETIONS.find(([end]) => path.endsWith(end))?.[1] ?? 'other'
  }
  if (method !== 'GET' && method !== 'HEAD') return 'other'
  if (path === '/healthz') return 'health'
  return path === '/metrics' ? 'metrics' : 'other'
}

function normalise(target: string): string {
  const path = target.replace(/[?#].*$/s, '')
  const segments: string[] = []
  for (const segment of decode(path).split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // no server decodes it either
  }
}

/** `GET http://host/path` asks a proxy for what `GET /path` asks a server. */
export function pathOf(target: string): string {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return target
  const { pathname, search } = new URL(target)
  return pathname + search
}
