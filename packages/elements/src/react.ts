import {
  createElement,
  type ForwardedRef,
  type ForwardRefExoticComponent,
  forwardRef,
  type ReactElement,
  type RefAttributes,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import {
  type CardChange,
  type CardFieldName,
  type CardOptions,
  type CardStyle,
  type CheckoutChange,
  type CheckoutOptions,
  type ConfirmedPayment,
  loadRailyard,
  type CardElement as MountedCard,
  type CheckoutElement as MountedCheckout,
  type RailyardElements,
  type RailyardElementsError,
  type RailyardElementsOptions,
} from './index.ts'

/** What both components take. */
export interface ElementProps {
  /** Of `useRailyard`; undefined: it is not there yet, and nothing is shown. */
  railyard: RailyardElements | undefined
  /** Of the element around the frame. */
  className?: string
  onReady?: () => void
  /** Enter was pressed in a field. */
  onSubmit?: () => void
  onError?: (error: RailyardElementsError) => void
}

/** Of the options, `style` alone is followed after the first render. */
export interface CardElementProps extends ElementProps, CardOptions {
  onChange?: (change: CardChange) => void
  onFocus?: (field: CardFieldName) => void
  onBlur?: (field: CardFieldName) => void
}

/** Of the options, `style` alone is followed after the first render. */
export interface CheckoutElementProps extends ElementProps, CheckoutOptions {
  onChange?: (change: CheckoutChange) => void
  /** By `confirm()`, or by the button of a digital wallet. */
  onPaid?: (paid: { transaction: ConfirmedPayment }) => void
}

/** Railyard's elements, once they are there. A new session or token goes to the elements that are shown. */
export function useRailyard({
  origin,
  session,
  token,
}: RailyardElementsOptions): RailyardElements | undefined {
  const [railyard, setRailyard] = useState<RailyardElements>()
  const first = useRef({ session, ...(token !== undefined && { token }) })
  useEffect(() => {
    let isCurrent = true
    void loadRailyard({ origin, ...first.current }).then((loaded) => isCurrent && setRailyard(loaded))
    return () => {
      isCurrent = false
    }
  }, [origin])
  useEffect(() => railyard?.useSession(session, token), [railyard, session, token])
  return railyard
}

/** All fields of a card. The `ref` gets the element, with `submit()`. */
export const CardElement: ForwardRefExoticComponent<CardElementProps & RefAttributes<MountedCard>> =
  forwardRef(function CardElement(props: CardElementProps, ref: ForwardedRef<MountedCard>) {
    return useMounted(props, ref, (railyard, latest) => {
      const card = railyard.card(latest.current)
      card.on('ready', () => latest.current.onReady?.())
      card.on('change', (change) => latest.current.onChange?.(change))
      card.on('focus', (field) => latest.current.onFocus?.(field))
      card.on('blur', (field) => latest.current.onBlur?.(field))
      card.on('submit', () => latest.current.onSubmit?.())
      card.on('error', (error) => latest.current.onError?.(error))
      return card
    })
  })

/** The ways to pay. The `ref` gets the element, with `confirm()`. */
export const CheckoutElement: ForwardRefExoticComponent<
  CheckoutElementProps & RefAttributes<MountedCheckout>
> = forwardRef(function CheckoutElement(props: CheckoutElementProps, ref: ForwardedRef<MountedCheckout>) {
  return useMounted(props, ref, (railyard, latest) => {
    const checkout = railyard.checkout(latest.current)
    checkout.on('ready', () => latest.current.onReady?.())
    checkout.on('change', (change) => latest.current.onChange?.(change))
    checkout.on('paid', (paid) => latest.current.onPaid?.(paid))
    checkout.on('submit', () => latest.current.onSubmit?.())
    checkout.on('error', (error) => latest.current.onError?.(error))
    return checkout
  })
})

interface Mountable {
  mount(place: Element): void
  unmount(): void
  update(options: { style: CardStyle }): void
}

/** Shows an element for as long as its component is shown. `make` gets the properties of the last render. */
function useMounted<Props extends ElementProps & { style?: CardStyle }, Mounted extends Mountable>(
  props: Props,
  ref: ForwardedRef<Mounted>,
  make: (railyard: RailyardElements, latest: RefObject<Props>) => Mounted,
): ReactElement {
  const { railyard, className, style } = props
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  const [mounted, setMounted] = useState<Mounted | null>(null)
  useLayoutEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    if (!railyard || !place.current) return undefined
    const made = make(railyard, latest)
    made.mount(place.current)
    setMounted(made)
    return () => made.unmount()
  }, [railyard])
  useImperativeHandle<Mounted | null, Mounted | null>(ref, () => mounted, [mounted])
  const styled = JSON.stringify(style)
  useEffect(() => {
    if (styled !== undefined) mounted?.update({ style: JSON.parse(styled) })
  }, [mounted, styled])
  return createElement('div', { ref: place, className })
}
