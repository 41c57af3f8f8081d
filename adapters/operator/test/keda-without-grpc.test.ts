import { expect, it, vi } from 'vitest'
import { ExternalScaler, Recommendations } from '../src/index.js'

vi.mock('@grpc/grpc-js', () => {
  throw new Error("Cannot find package '@grpc/grpc-js'")
})

it('the external scaler says what to install where gRPC is not there', async () => {
  const autoscalers = { listen: () => () => {}, get: () => undefined } as never
  const recommendations = new Recommendations({ autoscalers, clock: { now: () => 0 } }, 1)
  await expect(ExternalScaler.listen(recommendations, 0)).rejects.toMatchObject({
    code: 'grpc_missing',
    message: expect.stringContaining('npm install @grpc/grpc-js @grpc/proto-loader'),
  })
})
