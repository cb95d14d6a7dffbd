import type { MonitoringAuthRateSpec } from '@railyard/client'
import type { ReactNode } from 'react'
import { useServiceNames } from '../../api/use-service-names.ts'
import { Detail } from '../../parts/page/layout.tsx'
import { commonWords } from '../../words/common.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'

/** Which payments a metric counts. */
export function SpecDetails({ spec }: { spec: MonitoringAuthRateSpec }): ReactNode {
  const services = new Map(useServiceNames())
  const { datetime_range, payment_service_id, method, payment_method_scheme, payment_method_bin } =
    spec.params.filters
  const minutes = /^PT(\d+)M\/now$/.exec(datetime_range)?.[1]
  const list = (values: readonly (string | null)[] | null | undefined) =>
    values?.map((value) => value ?? commonWords.none).join(', ')
  const name = words.detail
  return (
    <>
      <Detail name={name.window}>{minutes ? words.lastMinutes(minutes) : datetime_range}</Detail>
      <Detail name={name.services}>
        {list(payment_service_id?.map((id) => (id ? (services.get(id) ?? id) : id)))}
      </Detail>
      <Detail name={name.methods}>{list(method)}</Detail>
      <Detail name={name.schemes}>{list(payment_method_scheme)}</Detail>
      <Detail name={name.bins}>{list(payment_method_bin)}</Detail>
    </>
  )
}
