package org.weft.cli.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.cli.output.CommandFailure;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;

class MetricsTest {
  private static final Endpoint ANY_PORT = new Endpoint("127.0.0.1", 0);

  private final ProcessMeters meters = new ProcessMeters();

  @AfterEach
  void close() {
    meters.close();
  }

  @Test
  void requestsAreCountedByOpcodeAndOutcome() {
    meters.transport().served(Opcode.READ.number(), Optional.empty(), 2_000_000);
    meters.transport().served(Opcode.READ.number(), Optional.empty(), 1_000_000);
    meters.transport().served(Opcode.READ.number(), Optional.of(ErrorCode.NO_SPACE), 5);

    String text = meters.scrape();

    assertTrue(
        text.contains("weft_rpc_served_seconds_count{opcode=\"read\",outcome=\"ok\"} 2"), text);
    assertTrue(
        text.contains("weft_rpc_served_seconds_count{opcode=\"read\",outcome=\"no_space\"} 1"),
        text);
    assertTrue(
        text.contains("weft_rpc_served_seconds_sum{opcode=\"read\",outcome=\"ok\"} 0.003"), text);
  }

  @Test
  void unknownOpcodesShareOneMeter() {
    for (int number = 0x7000; number < 0x7100; number++) {
      meters.transport().served(number, Optional.of(ErrorCode.UNSUPPORTED), 1);
    }

    String text = meters.scrape();

    assertTrue(
        text.contains(
            "weft_rpc_served_seconds_count{opcode=\"unknown\",outcome=\"unsupported\"} 256"),
        text);
  }

  @Test
  void clockMetricsShowOnlyNodesHeardNow() {
    Map<String, Long> ahead = new TreeMap<>(Map.of("osd-3", 2_500L, "manager-1", -40L));
    ClockMeters.of(meters, () -> ahead);
    String text = meters.scrape();
    assertTrue(text.contains("weft_sysmgr_clock_ahead_seconds{node=\"osd-3\"} 2.5"), text);
    assertTrue(text.contains("weft_sysmgr_clock_ahead_seconds{node=\"manager-1\"} -0.04"), text);

    ahead.put("osd-3", 0L);
    ahead.remove("manager-1");
    String later = meters.scrape();
    assertTrue(later.contains("weft_sysmgr_clock_ahead_seconds{node=\"osd-3\"} 0.0"), later);
    assertFalse(later.contains("manager-1"), later);
  }

  @Test
  void connectionsAndBytesAreCounted() {
    meters.transport().connectionOpened(true);
    meters.transport().connectionOpened(true);
    meters.transport().connectionClosed(true);
    meters.transport().received(100);
    meters.transport().sent(7);

    String text = meters.scrape();

    assertTrue(text.contains("weft_transport_connections{side=\"server\"} 1.0"), text);
    assertTrue(text.contains("weft_transport_received_bytes_total 100.0"), text);
    assertTrue(text.contains("weft_transport_sent_bytes_total 7.0"), text);
    assertTrue(text.contains("jvm_memory_used_bytes"), text);
  }

  @Test
  void jmxHasTheSameFigures() throws Exception {
    meters.transport().sent(7);

    assertFalse(
        ManagementFactory.getPlatformMBeanServer()
            .queryNames(new ObjectName("metrics:name=weftTransportSent*,*"), null)
            .isEmpty());
  }

  @Test
  void aDaemonThatDoesNotRunHasNoFigures() {
    new DaemonMeters(meters).osd("osd-1", Optional::empty);

    assertTrue(meters.scrape().contains("weft_osd_objects{osd=\"osd-1\"} NaN"), meters.scrape());
  }

  @Test
  void metricsAreServedOverHttpAndNothingElseIs() throws Exception {
    try (MetricsServer server = MetricsServer.start(ANY_PORT, meters::scrape)) {
      HttpResponse<String> metrics = get(server, "/metrics");
      HttpResponse<String> other = get(server, "/other");

      assertEquals(200, metrics.statusCode());
      assertTrue(metrics.headers().firstValue("Content-Type").orElse("").startsWith("text/plain"));
      assertTrue(metrics.body().contains("jvm_memory_used_bytes"));
      assertEquals(404, other.statusCode());
    }
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    try (MetricsServer server = MetricsServer.start(ANY_PORT, meters::scrape)) {
      CommandFailure failure =
          assertThrows(
              CommandFailure.class, () -> MetricsServer.start(server.address(), meters::scrape));

      assertTrue(failure.getMessage().contains("port " + server.address().port()));
      assertTrue(failure.getMessage().contains("--metrics"));
    }
  }

  private static HttpResponse<String> get(MetricsServer server, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://" + server.address() + path))
                .timeout(Duration.ofSeconds(30))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
