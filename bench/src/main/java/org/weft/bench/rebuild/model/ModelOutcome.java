package org.weft.bench.rebuild.model;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.weft.protocol.id.OsdId;

/**
 * What came of a rebuild.
 *
 * @param width components of a parity group
 * @param lost OSDs that were
 * @param begunNanos when the first byte was asked for: until then the lost files were looked for
 * @param readBytes by OSD, from number 1 on
 * @param writtenBytes by OSD, from number 1 on
 */
record ModelOutcome(
    int width,
    Set<OsdId> lost,
    long begunNanos,
    List<RebuiltComponent> components,
    long[] readBytes,
    long[] writtenBytes) {
  private static final double MEGABYTE = 1e6;
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  ModelOutcome {
    lost = Set.copyOf(lost);
    components = List.copyOf(components);
  }

  /** Until everything is redundant again, after the loss was known. */
  double seconds() {
    return components.stream().mapToLong(RebuiltComponent::finishedNanos).max().orElse(0)
        / NANOS_PER_SECOND;
  }

  /** Of these, before the first byte was asked for. */
  double begunSeconds() {
    return begunNanos / NANOS_PER_SECOND;
  }

  double megabytesPerSecond() {
    return components.stream().mapToLong(RebuiltComponent::bytes).sum() / MEGABYTE / seconds();
  }

  /** The OSD that read most, over the mean of those that are left. */
  double readHighestOverMean() {
    return highestOverMean(readBytes);
  }

  double writtenHighestOverMean() {
    return highestOverMean(writtenBytes);
  }

  /** Of all bytes, read and written. */
  double movedHighestOverMean() {
    return highestOverMean(
        IntStream.range(0, readBytes.length)
            .mapToLong(osd -> readBytes[osd] + writtenBytes[osd])
            .toArray());
  }

  private double highestOverMean(long[] bytes) {
    long[] left =
        IntStream.range(0, bytes.length)
            .filter(osd -> !lost.contains(new OsdId(osd + 1)))
            .mapToLong(osd -> bytes[osd])
            .toArray();
    double mean = Arrays.stream(left).average().orElseThrow();
    return Arrays.stream(left).max().orElseThrow() / mean;
  }

  /**
   * Sums the seconds in which an OSD's loss would reach a group that was not whole yet, over all
   * OSDs that are left.
   *
   * @param detectSeconds before the rebuild began
   */
  double exposedOsdSeconds(double detectSeconds) {
    return osdSeconds(each -> true, detectSeconds);
  }

  /** The same, where that loss would take data. */
  double criticalOsdSeconds(double detectSeconds) {
    return osdSeconds(each -> each.left() == 0, detectSeconds);
  }

  private double osdSeconds(Predicate<RebuiltComponent> counts, double detectSeconds) {
    Map<OsdId, Long> lastNanos = new TreeMap<>();
    for (RebuiltComponent each : components) {
      if (counts.test(each)) {
        each.partners().forEach(osd -> lastNanos.merge(osd, each.finishedNanos(), Math::max));
      }
    }
    return lastNanos.values().stream()
        .mapToDouble(nanos -> detectSeconds + nanos / NANOS_PER_SECOND)
        .sum();
  }

  /**
   * Sum, over all components, of the seconds in which the loss of one OSD would take their file.
   */
  double criticalFileSeconds(double detectSeconds) {
    return components.stream()
        .filter(each -> each.left() == 0)
        .mapToDouble(
            each ->
                each.partners().size() * (detectSeconds + each.finishedNanos() / NANOS_PER_SECOND))
        .sum();
  }
}
