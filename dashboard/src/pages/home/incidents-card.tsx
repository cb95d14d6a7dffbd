import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { readable } from '../../format/names.ts'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Time } from '../../parts/values/values.tsx'
import { homeWords } from '../../words/home.ts'

const words = homeWords.incidents
const MAX_SHOWN = 5

/** Incidents of monitoring and of the pages for buyers that are open, the newest first. */
export default function IncidentsCard(): ReactNode {
  const query = useLoad(
    ['monitoring', 'open'],
    async (api, signal) => {
      const [metrics, pages] = await Promise.all([
        api.monitoring.incidents.list({ timestamp_interval: 'PT1M/now', limit: 100 }, { signal }).page(),
        api.hostedPages.incidents.list({ limit: 100 }, { signal }).page(),
      ])
      return [
        ...metrics.items.map((each) => ({
          ...each,
          to: `monitoring/incidents/${each.id}`,
          name: each.display_name,
          about: words.rate,
        })),
        ...pages.items.map((each) => ({
          ...each,
          to: `monitoring/hosted-pages/${each.id}`,
          name: each.subject,
          about: words.page(readable(each.page), readable(each.kind)),
        })),
      ]
        .filter(({ closed_at }) => closed_at === null)
        .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
    },
    { refresh: 30_000 },
  )
  return (
    <Card title={words.title} aside={<Link to="monitoring/incidents">{words.all}</Link>}>
      <Loaded query={query}>
        {(open) =>
          open.length === 0 ? (
            <p className="text-sm text-ink-3">{words.none}</p>
          ) : (
            <ul className="-my-2 divide-y divide-line">
              {open.slice(0, MAX_SHOWN).map(({ id, to, name, about, created_at }) => (
                <li key={id}>
                  <Link to={to} className="group block py-2 pointer-coarse:py-3">
                    <span className="font-medium wrap-anywhere group-hover:underline">{name}</span>
                    <span className="block text-sm text-ink-3">
                      {about}, {words.since} <Time at={created_at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
