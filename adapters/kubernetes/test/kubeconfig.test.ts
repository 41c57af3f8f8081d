import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createAuthority, NAMESPACES, readKubeconfig } from '../src/index.js'
import { openClient, openStandIn, temporaryFile, temporaryFolder } from './opened.js'

const config = (parts: object): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443' } }],
    users: [{ name: 'u', user: { token: 'secret' } }],
    ...parts,
  })

describe('a kubeconfig', () => {
  it('says server, namespace and who asks', async () => {
    const cluster = await readKubeconfig({ path: await temporaryFile(config({})) })
    expect(cluster).toMatchObject({ namespace: 'shop', isUnverified: false })
    expect(cluster.server.href).toBe('https://10.0.0.1:6443/')
    expect(await cluster.credentials()).toEqual({ headers: { authorization: 'Bearer secret' } })
  })

  it('takes the context that is asked for, not the current one', async () => {
    const contexts = [
      { name: 'one', context: { cluster: 'c', user: 'u' } },
      { name: 'two', context: { cluster: 'c', user: 'u', namespace: 'bank' } },
    ]
    const path = await temporaryFile(config({ contexts }))
    expect((await readKubeconfig({ path, context: 'two' })).namespace).toBe('bank')
    expect((await readKubeconfig({ path })).namespace).toBe('default')
  })

  it('merges several files: the first to say something counts, and a file that is not there is left out', async () => {
    const first = await temporaryFile(
      stringify({ 'current-context': 'two', contexts: [{ name: 'two', context: { cluster: 'c', user: 'v' } }] }),
    )
    const second = await temporaryFile(config({ users: [{ name: 'v', user: { username: 'ann', password: 'pw' } }] }))
    const cluster = await readKubeconfig({ path: `${first}.gone:${first}:${second}` })
    expect((await cluster.credentials()).headers).toEqual({
      authorization: `Basic ${Buffer.from('ann:pw').toString('base64')}`,
    })
  })

  it('reads certificates beside itself, wherever the process stands', async () => {
    const { certificate, key } = createAuthority({ commonName: 'x', notBefore: new Date(0), notAfter: new Date(1e12) })
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'pki'))
    await writeFile(join(folder, 'pki/user.crt'), certificate)
    await writeFile(join(folder, 'pki/user.key'), key)
    const user = { 'client-certificate': 'pki/user.crt', 'client-key': 'pki/user.key' }
    await writeFile(join(folder, 'config'), config({ users: [{ name: 'u', user }] }))
    const { credentials } = await readKubeconfig({ path: join(folder, 'config') })
    expect(await credentials()).toEqual({ headers: {}, certificate, key })
  })

  it('reads a token file for every request, for it is rotated in place', async () => {
    const token = await temporaryFile('first\n', 'token')
    const path = await temporaryFile(config({ users: [{ name: 'u', user: { tokenFile: token } }] }))
    const { credentials } = await readKubeconfig({ path })
    expect((await credentials()).headers.authorization).toBe('Bearer first')
    await writeFile(token, 'second')
    expect((await credentials()).headers.authorization).toBe('Bearer second')
  })

  it('asks in the name of another user where it says so', async () => {
    const user = { token: 't', as: 'ann', 'as-groups': ['dev', 'ops'] }
    const { credentials } = await readKubeconfig({
      path: await temporaryFile(config({ users: [{ name: 'u', user }] })),
    })
    const headers = { authorization: 'Bearer t', 'impersonate-user': 'ann', 'impersonate-group': ['dev', 'ops'] }
    expect(await credentials()).toEqual({ headers })
  })

  const faults: [what: string, parts: object | string, message: RegExp][] = [
    ['no YAML', 'a: [', /is not YAML: .*line 1/],
    ['another document', stringify({ kind: 'Pod' }), /is no kubeconfig: kind must be Config/],
    ['a context that is not there', { 'current-context': 'three' }, /context "three" is not among contexts \(one\)/],
    ['no current context', { 'current-context': '' }, /has no current-context \(name one: one\)/],
    [
      'a cluster that is not there',
      { clusters: [] },
      /contexts\[0\] \(one\) of .*: cluster "c" is not among clusters \(none\)/,
    ],
    ['a user that is not there', { users: [] }, /contexts\[0\] \(one\) of .*: user "u" is not among users \(none\)/],
    [
      'a server that is no URL',
      { clusters: [{ name: 'c', cluster: { server: 'host:6443' } }] },
      /clusters\[0\] \(c\) of .*: server must be a URL .* got "host:6443"/,
    ],
    [
      'a certificate file that is not there',
      { clusters: [{ name: 'c', cluster: { server: 'https://h', 'certificate-authority': 'gone.crt' } }] },
      /clusters\[0\] \(c\) of .*: certificate-authority .*gone\.crt cannot be read/,
    ],
    [
      'data that is no certificate',
      { clusters: [{ name: 'c', cluster: { server: 'https://h', 'certificate-authority-data': 'AAAA' } }] },
      /certificate-authority-data holds no PEM/,
    ],
    [
      'a proxy',
      { clusters: [{ name: 'c', cluster: { server: 'https://h', 'proxy-url': 'http://p' } }] },
      /proxy-url is not supported/,
    ],
    [
      'an authentication that is gone',
      { users: [{ name: 'u', user: { 'auth-provider': { name: 'gcp' } } }] },
      /users\[0\] \(u\) of .*: auth-provider went .* exec plug-in/,
    ],
    [
      'a plug-in of an old protocol',
      { users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' } } }] },
      /exec\.apiVersion must be .*v1beta1, got .*v1alpha1/,
    ],
    [
      'a plug-in that needs a terminal',
      {
        users: [
          {
            name: 'u',
            user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Always' } },
          },
        ],
      },
      /interactiveMode Always needs a terminal/,
    ],
  ]
  it.each(faults)('says what is wrong, in which entry of which file: %s', async (_, parts, message) => {
    const path = await temporaryFile(typeof parts === 'string' ? parts : config(parts))
    const error = await readKubeconfig({ path }).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'kubeconfig_invalid', message: expect.stringMatching(message) })
    expect(error.message).toContain(path)
  })

  it('says where it was looked for', async () => {
    const path = join(await temporaryFolder(), 'config')
    await expect(readKubeconfig({ path })).rejects.toMatchObject({
      code: 'kubeconfig_missing',
      message: expect.stringContaining(path),
    })
  })
})

describe('an exec plug-in', () => {
  /** A program that answers as said and counts how often it ran. */
  const plugin = async (lines: string): Promise<string> =>
    temporaryFile(`#!/bin/sh\necho run >> "$(dirname "$0")/runs"\n${lines}\n`, 'plugin')
  const exec = (command: string, more: object = {}): object => ({
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command, ...more },
  })
  const credential = (token: string, expirationTimestamp?: string): string =>
    JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token, expirationTimestamp },
    })
  const read = async (user: object) =>
    readKubeconfig({ path: await temporaryFile(config({ users: [{ name: 'u', user }] })) })

  it('is run once for many requests, and again when its token has expired', async () => {
    const lasting = await read(exec(await plugin(`echo '${credential('a', '2999-01-01T00:00:00Z')}'`)))
    const identities = [await lasting.credentials(), await lasting.credentials()]
    expect(identities[0]).toBe(identities[1])
    const brief = await read(exec(await plugin(`echo '${credential('a', '2001-01-01T00:00:00Z')}'`)))
    expect(await brief.credentials()).not.toBe(await brief.credentials())
  })

  it('is run again for a token that was refused, once for all who were', async () => {
    const { credentials } = await read(exec(await plugin(`echo '${credential('a')}'`)))
    const refused = await credentials()
    const [one, other] = await Promise.all([credentials(refused), credentials(refused)])
    expect(one).not.toBe(refused)
    expect(other).toBe(one)
    expect(await credentials(refused)).toBe(one)
  })

  it('gets its arguments, its environment and the cluster', async () => {
    const echo = await plugin(
      'printf \'{"kind":"ExecCredential","status":{"token":"%s-%s-%s"}}\' "$1" "$REGION" "$(echo "$KUBERNETES_EXEC_INFO" | grep -o https://10.0.0.1:6443)"',
    )
    const { credentials } = await read(
      exec(echo, { args: ['--x'], env: [{ name: 'REGION', value: 'eu' }], provideClusterInfo: true }),
    )
    expect((await credentials()).headers.authorization).toBe('Bearer --x-eu-https://10.0.0.1:6443')
  })

  it('opens the API as the user whose token it prints', async () => {
    const standIn = await openStandIn()
    const token = standIn.issueToken('default', 'robot')
    const client = await openClient(
      standIn,
      exec(await plugin(`echo '${credential(token)}'`)) as Record<string, unknown>,
    )
    await expect(client.list(NAMESPACES)).rejects.toMatchObject({
      code: 'api_forbidden',
      message: expect.stringContaining('system:serviceaccount:default:robot'),
    })
  })

  it.each([
    [
      'fails',
      'echo "no session, log in" >&2; exit 3',
      /users\[0\] \(u\) of .*: exec .*plugin failed \(no session, log in\): run: login/,
    ],
    ['prints no JSON', 'echo hello', /printed no JSON: run: login/],
    ['prints no credentials', 'echo "{}"', /printed no ExecCredential/],
  ])('that %s is named, with its hint', async (_, lines, message) => {
    const { credentials } = await read(exec(await plugin(lines), { installHint: 'run: login' }))
    await expect(credentials()).rejects.toMatchObject({
      code: 'credentials_failed',
      message: expect.stringMatching(message),
    })
  })

  it('that is not there is named, with its hint', async () => {
    const { credentials } = await read(exec('./gone', { installHint: 'install it' }))
    await expect(credentials()).rejects.toMatchObject({
      message: expect.stringMatching(/exec \.\/gone failed .*ENOENT.*: install it/),
    })
  })

  it('with a path is looked for beside the kubeconfig', async () => {
    const command = await plugin(`echo '${credential('near')}'`)
    const path = join(dirname(command), 'config')
    await writeFile(path, config({ users: [{ name: 'u', user: exec('./plugin') }] }))
    const { credentials } = await readKubeconfig({ path })
    expect((await credentials()).headers.authorization).toBe('Bearer near')
  })
})
