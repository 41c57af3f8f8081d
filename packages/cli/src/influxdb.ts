export * from '@trimtab/influxdb'
