import type { ReactNode } from 'react'
import { encode } from 'uqr'

/** A text as a QR code: dark on light in every colour scheme, as cameras need it. */
export default function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : [])))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 max-w-full rounded-md bg-white"
    >
      <path d={dots.join('')} fill="black" />
    </svg>
  )
}
