// For `npm run test:kubernetes`: the contract against a real server, which `npm test` leaves alone whatever KUBECONFIG says.
import { defineConfig } from 'vitest/config'
import shared from '../../../../vitest.config.js'

const include = ['adapters/kubernetes/test/real-server.contract.ts']

const { projects: _, ...settings } = shared.test!

export default defineConfig({
  ...shared,
  test: { ...settings, include, testTimeout: 180_000, reporters: ['verbose'] },
})
