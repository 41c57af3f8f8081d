import { describe, expect, it } from 'vitest'
import { pathOf, routeOf } from '../src/routes.js'

describe('the route of a request', () => {
  it.each([
    ['/v1/chat/completions', 'chat'],
    ['/v1/completions?x=1', 'completions'],
    ['/openai/deployments/gpt/chat/completions?api-version=2024', 'chat'],
    ['/v1/responses', 'responses'],
    ['/v1/messages?beta=true', 'messages'],
    ['/v1/responses/resp_1/cancel', 'other'],
    ['/v1/messages/count_tokens', 'other'],
    ['/v1/messages/batches', 'other'],
    ['/v1/threads/thread_1/messages', 'other'],
    ['/v1/embeddings', 'other'],
    ['/metrics', 'other'],
  ])('POST %s is %s', (target, route) => {
    expect(routeOf('POST', target)).toBe(route)
  })

  it.each([
    '/v1//chat/completions',
    '/v1/chat/completions/',
    '/v1/%63hat/completions',
    '/v1/chat%2Fcompletions',
    '/v1/chat/completions/.',
    '/v1/chat/./completions',
    '/v1/chat/completions/x/%2e%2e/',
  ])('cannot be hidden from the queue: %s', (target) => {
    expect(routeOf('POST', target)).toBe('chat')
  })

  it('is the gateway’s own for its health and its metrics, and the upstream’s for everything else', () => {
    expect(routeOf('GET', '/healthz')).toBe('health')
    expect(routeOf('HEAD', '/metrics?x')).toBe('metrics')
    expect(routeOf('GET', '/v1/chat/completions')).toBe('other')
    expect(routeOf('OPTIONS', '*')).toBe('other')
    expect(routeOf('GET', '/%zz')).toBe('other')
    expect(routeOf('GET', '/')).toBe('other')
  })

  it('is that of the path, when a client asks as it would ask a proxy', () => {
    expect(pathOf('http://elsewhere:81/v1/models?a=b')).toBe('/v1/models?a=b')
    expect(pathOf('/v1/models')).toBe('/v1/models')
    expect(pathOf('//elsewhere/v1')).toBe('//elsewhere/v1')
  })
})
