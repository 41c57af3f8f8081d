export { NatsModels } from './nats-models.js'
export { type NatsCounts, NatsTransport, type NatsTransportOptions } from './nats-transport.js'
