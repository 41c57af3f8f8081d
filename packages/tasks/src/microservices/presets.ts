import type { AnyCore } from '@trimtab/core'
import { parseCalls } from './call-notation.js'
import { furnish } from './furnish.js'
import type { ServiceGraph, ServiceKind } from './graph.js'

/** Applications of the size and shape of those of 3.3.1, by number of services: 36, 38, 15 and 41. */
export const PRESETS = ['social-network', 'media-service', 'hotel-reservation', 'train-ticket'] as const
/** One of the applications of the papers. */
export type PresetName = (typeof PRESETS)[number]

type Requests = Readonly<Record<string, readonly [ratePerSecond: number, calls: string]>>

const STORED = (service: string): string => `${service}-memcached, ${service}-mongodb?0.3`

const SOCIAL_NETWORK: Requests = {
  'compose-post': [
    16,
    `nginx(login?0.2(user-service), compose-post(
      unique-id & media(media-memcached & media-mongodb?0.4) & user-service(${STORED('user')})
        & text(url-shorten(url-memcached, url-mongodb?0.5) & user-mention(user-memcached)),
      post-storage(post-memcached & post-mongodb) & user-timeline(timeline-mongodb, timeline-redis),
      ~write-home-timeline(rabbitmq, social-graph(graph-redis, graph-mongodb?0.2), home-timeline-redis)))`,
  ],
  'read-home-timeline': [
    30,
    `nginx(home-timeline(home-timeline-redis, post-storage(${STORED('post')}), blocked-users(graph-redis) & ads?0.5(recommender)))`,
  ],
  'read-user-timeline': [
    22,
    'nginx(user-timeline(timeline-redis, timeline-mongodb?0.3, post-storage(post-memcached, post-mongodb?0.3)), favourite?0.3)',
  ],
  'search-posts': [10, 'nginx(search(index-a & index-b & index-c, post-storage(post-memcached)), ads(recommender))'],
  follow: [8, 'nginx(social-graph(user-service(user-memcached), graph-mongodb & graph-redis))'],
}

const MEDIA_SERVICE: Requests = {
  'compose-review': [
    14,
    `nginx(login?0.2(user-service), compose-review(
      unique-id & movie-id(movie-id-memcached) & text & rating(rating-redis)
        & user-service(${STORED('user')}),
      review-storage(review-memcached & review-mongodb),
      user-review(user-review-redis & user-review-mongodb) & movie-review(movie-review-redis & movie-review-mongodb),
      ~recommender(recommender-mongodb)))`,
  ],
  'read-page': [
    34,
    `nginx(page(movie-info(info-memcached, info-mongodb?0.3) & cast-info(${STORED('cast')}) & plot(plot-memcached)
      & movie-review(movie-review-redis, review-storage(${STORED('review')})), ads?0.5))`,
  ],
  stream: [14, 'nginx(login(user-service(user-memcached)), video, ~recommender(recommender-mongodb))'],
  rent: [10, 'nginx(rent(movie-info(info-memcached), payment(payment-mongodb), user-service(user-memcached)))'],
  browse: [
    14,
    'nginx(search(movie-id(movie-id-memcached), cast-info(cast-memcached)), recommender(recommender-mongodb))',
  ],
}

const HOTEL_RESERVATION: Requests = {
  search: [
    40,
    'frontend(search(geo, rate(rate-memcached, rate-mongodb?0.3)), reservation(reservation-memcached, reservation-mongodb?0.3), profile(profile-memcached, profile-mongodb?0.2))',
  ],
  recommend: [24, 'frontend(recommendation, profile(profile-memcached, profile-mongodb?0.2))'],
  login: [10, 'frontend(user(user-mongodb))'],
  reserve: [12, 'frontend(user(user-mongodb), reservation(reservation-memcached & reservation-mongodb))'],
}

const TRAIN_TICKET: Requests = {
  'search-trips': [
    26,
    `ui-dashboard(travel(ticket-info(basic(station & train & price & route(mysql-route?0.4))), seat(order(mysql-order?0.3), config), train)
      & travel2(route, seat(order-other(mysql-order?0.3), config)))`,
  ],
  'plan-trips': [
    8,
    'ui-dashboard(travel-plan(route-plan(route, station), travel(train), seat(config) & ticket-info(price)))',
  ],
  login: [14, 'ui-dashboard(auth(verification-code, user(mysql-user)))'],
  preserve: [
    12,
    `ui-dashboard(preserve(security(order & order-other), contacts(mysql-user), travel(train, route), ticket-info(basic(price(mysql-price?0.3))), seat(config),
      order(mysql-order), assurance & food(food-map), consign?0.4(consign-price), user, ~notification(rabbitmq)))`,
  ],
  pay: [12, 'ui-dashboard(inside-payment(order(mysql-order), payment, voucher?0.3))'],
  cancel: [6, 'ui-dashboard(cancel(order(mysql-order), inside-payment(payment), user, ~notification(rabbitmq)))'],
  rebook: [5, 'ui-dashboard(rebook(order(mysql-order), travel2(train), seat(config), inside-payment(payment)))'],
  collect: [6, 'ui-dashboard(execute(order-other(mysql-order)), news & ticket-office)'],
  administer: [4, 'ui-dashboard(admin(station & train & route & user & contacts))'],
}

const REQUESTS: Readonly<Record<PresetName, Requests>> = {
  'social-network': SOCIAL_NETWORK,
  'media-service': MEDIA_SERVICE,
  'hotel-reservation': HOTEL_RESERVATION,
  'train-ticket': TRAIN_TICKET,
}

/**
 * An application named after one of FIRM's benchmarks: its size, its workflow patterns and names of its services. What
 * its services cost is drawn, not measured.
 * @param seed  of what services cost. Default 1
 */
export function createPreset(core: AnyCore, name: PresetName, seed = 1): ServiceGraph {
  const requests = Object.entries(REQUESTS[name]).map(([request, [ratePerSecond, calls]]) => ({
    name: request,
    ratePerSecond,
    entry: parseCalls(calls),
  }))
  return furnish(core, { name, kindOf, requests }, seed)
}

function kindOf(service: string): ServiceKind {
  if (/^(nginx|frontend|ui-dashboard)$/.test(service)) return 'frontend'
  if (/(memcached|redis)$/.test(service)) return 'cache'
  if (/mongodb$|nfs$|^mysql-/.test(service)) return 'database'
  return service === 'rabbitmq' ? 'queue' : 'logic'
}
