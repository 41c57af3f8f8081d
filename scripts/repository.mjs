/** `https://HOST/OWNER/NAME`, set here and nowhere else. Empty until it is known: no manifest names a repository then, no page links to it. */
export const REPOSITORY = ''
