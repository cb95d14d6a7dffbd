{{- define "railyard.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "railyard.labels" -}}
app.kubernetes.io/name: railyard
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "railyard.selector" -}}
app.kubernetes.io/name: railyard
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "railyard.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* What every process needs; secrets come from the Secret alone and stand in no manifest. */}}
{{- define "railyard.environment" -}}
- { name: RAILYARD_ENV, value: production }
- { name: HOST, value: 0.0.0.0 }
- { name: PORT, value: "8080" }
- { name: DATA_DIR, value: /data }
- { name: PUBLIC_URL, value: {{ required "publicUrl: where others reach the API" .Values.publicUrl | quote }} }
- { name: TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }} }
- { name: STOP_DELAY_MS, value: {{ .Values.stopDelayMs | int | quote }} }
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.secret | quote }}, key: DATABASE_URL } }
- name: DATABASE_REPLICA_URLS
  valueFrom: { secretKeyRef: { name: {{ .Values.secret | quote }}, key: DATABASE_REPLICA_URLS, optional: true } }
{{- if .Values.kms.url }}
- { name: KMS_URL, value: {{ .Values.kms.url | quote }} }
- { name: KMS_KEY_ID, value: {{ required "kms.keyId: the name of the key at kms.url" .Values.kms.keyId | quote }} }
- name: KMS_TOKEN
  valueFrom: { secretKeyRef: { name: {{ .Values.secret | quote }}, key: KMS_TOKEN } }
{{- else }}
- name: ENCRYPTION_KEY
  valueFrom: { secretKeyRef: { name: {{ .Values.secret | quote }}, key: ENCRYPTION_KEY } }
{{- end }}
- name: METRICS_TOKEN
  valueFrom: { secretKeyRef: { name: {{ .Values.secret | quote }}, key: METRICS_TOKEN, optional: true } }
- name: THREE_DS_SERVER_TOKEN
  valueFrom: { secretKeyRef: { name: {{ .Values.secret | quote }}, key: THREE_DS_SERVER_TOKEN, optional: true } }
{{- if .Values.certificateAuthorities.configMap }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/railyard/certificate-authorities.pem }
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- /* a number of a values file is a float, which would be written 3.1536e+07 */}}
- { name: {{ $name }}, value: {{ ternary (int64 $value) $value (kindIs "float64" $value) | quote }} }
{{- end }}
{{- end -}}

{{- define "railyard.podSecurity" -}}
automountServiceAccountToken: false
# the addresses of the namespace's other services are none of its settings
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "railyard.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The only folders that a process writes to, beside a worker's archive. */}}
{{- define "railyard.volumes" -}}
volumes:
  - name: data
    emptyDir: { sizeLimit: 64Mi }
  - name: temporary
    emptyDir: { sizeLimit: {{ .Values.temporarySize }} }
  {{- with .Values.certificateAuthorities }}
  {{- if .configMap }}
  - name: certificate-authorities
    configMap: { name: {{ .configMap }}, items: [{ key: {{ .key | quote }}, path: certificate-authorities.pem }] }
  {{- end }}
  {{- end }}
{{- end -}}

{{- define "railyard.mounts" -}}
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: temporary, mountPath: /tmp }
  {{- if .Values.certificateAuthorities.configMap }}
  - { name: certificate-authorities, mountPath: /etc/railyard, readOnly: true }
  {{- end }}
{{- end -}}

{{/* A Deployment of processes with one role: api or worker. */}}
{{- define "railyard.deployment" -}}
{{- $root := .root -}}
{{- $role := .role -}}
{{- $values := index $root.Values $role -}}
{{- $archiveClaim := ternary $root.Values.archive.existingClaim "" (eq $role "worker") -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "railyard.name" $root }}-{{ $role }}
  labels:
    {{- include "railyard.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $role }}
spec:
  {{- if not (dig "autoscaling" "enabled" false $values) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "railyard.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ $role }}
  template:
    metadata:
      labels:
        {{- include "railyard.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $role }}
    spec:
      {{- include "railyard.podSecurity" $root | nindent 6 }}
      terminationGracePeriodSeconds: {{ add (div (int $root.Values.stopDelayMs) 1000) (int $root.Values.stopGraceSeconds) }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{ toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "railyard.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $role }}
      {{- with $values.nodeSelector }}
      nodeSelector: {{ toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations: {{ toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: railyard
          image: {{ include "railyard.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          {{- include "railyard.containerSecurity" $root | nindent 10 }}
          env:
            - { name: ROLE, value: {{ $role }} }
            {{- if $archiveClaim }}
            - { name: ARCHIVE_DIR, value: /archive }
            {{- end }}
            {{- include "railyard.environment" $root | nindent 12 }}
          ports:
            - { name: http, containerPort: 8080, protocol: TCP }
          startupProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          # Asks the database, for two seconds at most. A busy process is late once or twice; without all of them, requests would be refused. One that is being
          # deleted is left out at once, whatever it answers.
          readinessProbe:
            httpGet: { path: /health/ready, port: http }
            periodSeconds: 3
            timeoutSeconds: 3
            failureThreshold: 3
          resources: {{ toYaml $values.resources | nindent 12 }}
          {{- include "railyard.mounts" $root | nindent 10 }}
            {{- if $archiveClaim }}
            - { name: archive, mountPath: /archive }
            {{- end }}
      {{- include "railyard.volumes" $root | nindent 6 }}
        {{- with $archiveClaim }}
        - name: archive
          persistentVolumeClaim: { claimName: {{ . }} }
        {{- end }}
{{- end -}}
