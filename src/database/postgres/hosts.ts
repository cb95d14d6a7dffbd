// DATABASE_URL with several hosts, as libpq has it: postgres://user@one:5432,two:5432/railyard. `URL` refuses
// such a text, and pg connects to one host.

/** The protocol with its slashes, the user and the password with their @, the hosts, and what follows. */
const parts = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/

/** One URL for each host. An unreadable text is returned as it is. */
export function hostUrls(databaseUrl: string): string[] {
  const [, protocol = '', user = '', hosts = '', rest = ''] = parts.exec(databaseUrl) ?? []
  return protocol === '' ? [databaseUrl] : hosts.split(',').map((host) => `${protocol}${user}${host}${rest}`)
}

/** The hosts and the database, without the user, the password and the parameters. */
export function databaseName(databaseUrl: string): string {
  const urls = hostUrls(databaseUrl).map((url) => new URL(url))
  return `${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname ?? ''}`
}

/** The URL without its password, which is decoded: that before the hosts, or the parameter, which goes before it. */
export function takeOutPassword(databaseUrl: string): { url: string; password: string } {
  const [, protocol = '', user = '', hosts = '', rest = ''] = parts.exec(databaseUrl) ?? []
  const [name = '', ...password] = user.replace(/@$/, '').split(':')
  const [path = '', query = ''] = rest.split('?')
  const parameters = query.split('&').filter((parameter) => parameter !== '')
  const isPassword = (parameter: string) => parameter.startsWith('password=')
  const others = parameters.filter((parameter) => !isPassword(parameter))
  return {
    url: `${protocol}${name}${user && '@'}${hosts}${path}${others.length > 0 ? `?${others.join('&')}` : ''}`,
    password: decodeURIComponent(
      parameters.findLast(isPassword)?.slice('password='.length) ?? password.join(':'),
    ),
  }
}
