package org.weft.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.weft.bench.driven.LoadOrder;
import org.weft.bench.driven.Order;

/**
 * Runs one case of a plan. Every system makes its files and warms up. Then the systems take turns,
 * in one order and in the other. Then other clients read what is there. A system that fails is left
 * out from then on, and its failure stands in the results. One thread.
 */
final class CaseRun {
  private final PlanCase planned;
  private final CompareSettings settings;
  private final Processes processes;
  private final Results results;
  private final Consumer<String> progress;
  private final Map<String, BenchedSystem> running = new LinkedHashMap<>();

  CaseRun(
      PlanCase planned,
      Map<String, BenchedSystem> systems,
      CompareSettings settings,
      Processes processes,
      Results results,
      Consumer<String> progress) {
    this.planned = planned;
    this.settings = settings;
    this.processes = processes;
    this.results = results;
    this.progress = progress;
    for (String label : planned.systems()) {
      running.put(label, systems.get(label));
    }
  }

  /**
   * Runs the case without counting anything, so that what comes first is not what is cold. What is
   * done to a system once its files are there waits for the case itself.
   */
  void warmUp(int seconds) throws IOException {
    each(system -> order(system, Order.open(load(system))));
    warm(seconds);
    each(this::remove);
  }

  void run() throws IOException {
    each(system -> order(system, Order.open(load(system))));
    if (!planned.afterOpening().isEmpty()) {
      settings.shell(planned.afterOpening());
    }
    measureHeaps();
    if (settings.warmUpSeconds() > 0) {
      warm(settings.warmUpSeconds());
    }
    for (int number = 0; number < settings.repetitions(); number++) {
      int repetition = number;
      each(system -> repeat(system, repetition), repetition % 2 == 1);
    }
    each(this::finish);
  }

  private void warm(int seconds) throws IOException {
    each(system -> tell(system, "warm", order(system, Order.warmUp(seconds))));
  }

  /** Several systems may work under one directory, each in its own. */
  private LoadOrder load(BenchedSystem system) {
    return new LoadOrder(
        system.directory() + "/weft-compare-" + settings.runName() + "-" + system.label(),
        planned.options());
  }

  private void repeat(BenchedSystem system, int number) throws IOException {
    JsonNode measured = order(system, Order.repeat(number));
    results.add(planned, system.label(), "repetition", number, measured);
    tell(system, Integer.toString(number + 1), measured);
  }

  private void tell(BenchedSystem system, String what, JsonNode measured) {
    progress.accept(
        "  %-22s %-5s %,12.1f %s %10.2f %s (others %.2f s)"
            .formatted(
                system.label(),
                what,
                measured.get("rate").asDouble(),
                measured.get("unit").asText(),
                measured.get("cpuCost").asDouble(),
                measured.get("cpuUnit").asText(),
                measured.get("otherCpuSeconds").asDouble()));
  }

  private void finish(BenchedSystem system) throws IOException {
    if (settings.verify()) {
      Path manifest = Files.createTempFile("weft-compare", ".manifest");
      try {
        var unused = order(system, Order.close(manifest.toString()));
        JsonNode seen = processes.verifying(system).ask(Order.verify(manifest.toString()));
        results.add(planned, system.label(), "verified", 0, seen);
        progress.accept(
            "  %-22s another client saw %,d files, %,d bytes"
                .formatted(system.label(), seen.get("files").asLong(), seen.get("bytes").asLong()));
      } finally {
        Files.delete(manifest);
      }
    }
    remove(system);
  }

  private void remove(BenchedSystem system) throws IOException {
    var unused = order(system, Order.of(Order.Verb.REMOVE));
  }

  private void measureHeaps() throws IOException {
    if (settings.heapsOf() != null) {
      results.add(planned, planned.systems().get(0), "heaps", 0, Heaps.of(settings.heapsOf()));
    }
  }

  private JsonNode order(BenchedSystem system, Order order) throws IOException {
    return processes.loading(system).ask(order);
  }

  private interface Step {
    void with(BenchedSystem system) throws IOException;
  }

  private void each(Step step) throws IOException {
    each(step, false);
  }

  private void each(Step step, boolean backwards) throws IOException {
    List<BenchedSystem> order = new ArrayList<>(running.values());
    if (backwards) {
      Collections.reverse(order);
    }
    for (BenchedSystem system : order) {
      try {
        step.with(system);
      } catch (IOException e) {
        drop(system, e);
      }
    }
  }

  private void drop(BenchedSystem system, IOException failure) throws IOException {
    running.remove(system.label());
    progress.accept("  %-22s FAILED: %s".formatted(system.label(), failure.getMessage()));
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("failure", failure.getMessage());
    results.add(planned, system.label(), "failed", 0, node);
    processes.forget(system);
  }
}
