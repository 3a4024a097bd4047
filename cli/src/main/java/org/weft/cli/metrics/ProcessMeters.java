package org.weft.cli.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.weft.protocol.transport.TransportMetrics;

/**
 * The meters of one process: read by Prometheus as text, and by JMX under the domain {@code
 * metrics}. Thread-safe.
 */
public final class ProcessMeters implements AutoCloseable {
  private final PrometheusMeterRegistry prometheus =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final TransportMeters transport;
  private final List<Runnable> beforeScrape = new CopyOnWriteArrayList<>();

  /** With the meters of the JVM and of the operating system's process. */
  public ProcessMeters() {
    registry.add(prometheus);
    registry.add(new JmxMeterRegistry(JmxConfig.DEFAULT, Clock.SYSTEM));
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    collections.bindTo(registry);
    transport = new TransportMeters(registry);
  }

  MeterRegistry registry() {
    return registry;
  }

  /** For the process's transport. */
  public TransportMetrics transport() {
    return transport;
  }

  /** Runs before the figures are read, to say which there are now. */
  void beforeScrape(Runnable task) {
    beforeScrape.add(task);
  }

  /** Everything in Prometheus's text format. */
  public String scrape() {
    beforeScrape.forEach(Runnable::run);
    return prometheus.scrape();
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
