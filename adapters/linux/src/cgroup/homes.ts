import { foldersOf, type Hierarchies } from './hierarchies.js'

/**
 * In which group a process is, by hierarchy: the root's folder, and the file that takes it back.
 * @param text  of /proc/PID/cgroup: a line `4:memory:/path` for each hierarchy of version 1, `0::/path` for version 2
 */
export function homesOf(text: string, hierarchies: Hierarchies): (readonly [root: string, home: string])[] {
  const entries = text.split('\n').flatMap((line) => {
    const [, names, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    return names === undefined || path === undefined ? [] : [{ names: names.split(','), path }]
  })
  return foldersOf(hierarchies).flatMap((folder) => {
    const name = folder.slice(folder.lastIndexOf('/') + 1)
    const isVersion2 = Object.values(hierarchies).some((one) => one.folder === folder && one.version === 2)
    const found = entries.find(({ names }) => names.includes(isVersion2 ? '' : name))
    return found ? [[folder, `${folder}${found.path === '/' ? '' : found.path}/cgroup.procs`] as const] : []
  })
}
