// What every page of the site has at its top, whoever made it: the way to the other parts.
const PARTS = [
  ['Start', 'index.html'],
  ['Guides', 'docs/guides/index.html'],
  ['Results', 'docs/results/index.html'],
  ['API', 'api/index.html'],
  ['Playground', 'playground/index.html'],
]

/** @param root  the way from the page to the site's folder  @param current  name of the part that the page belongs to */
export const navigation = (root, current) =>
  `<nav class="site-nav" aria-label="Parts of the site">${PARTS.map(([name, path]) => `<a href="${root}/${path}"${name === current ? ' aria-current="true"' : ''}>${name}</a>`).join('')}</nav>`
