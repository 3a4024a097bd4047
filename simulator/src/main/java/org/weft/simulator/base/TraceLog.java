package org.weft.simulator.base;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.WireObserver;

/** Hashes all events; keeps them for people if asked to. */
public final class TraceLog implements Trace, WireObserver {
  private static final int MAX_LINES = 2_000_000;

  /** Something that was kept; texts of frames are made when they are read. */
  private interface Line {
    String text();
  }

  private final VirtualTime time;
  private final boolean kept;
  private final Deque<Line> lines = new ArrayDeque<>();
  private long hash = 1;
  private long events;

  TraceLog(VirtualTime time, boolean kept) {
    this.time = time;
    this.kept = kept;
  }

  @Override
  public void happened(
      Event event,
      String from,
      String to,
      int opcode,
      long requestId,
      ByteString body,
      int payloadBytes) {
    events++;
    mix(time.nowNanos());
    mix(event.ordinal());
    mix(from.hashCode() * 31L + to.hashCode());
    mix((long) opcode << 32 | payloadBytes);
    mix(requestId * 31 + body.hashCode());
    if (kept) {
      long at = time.nowNanos();
      keep(
          () ->
              FrameText.isSeenByReceiver(event)
                  ? prefix(at, to)
                      + FrameText.of(event, "from " + from, opcode, requestId, body, payloadBytes)
                  : prefix(at, from)
                      + FrameText.of(event, "to " + to, opcode, requestId, body, payloadBytes));
    }
  }

  @Override
  public void note(String actor, Supplier<String> what) {
    events++;
    mix(time.nowNanos());
    mix(actor.hashCode());
    if (kept) {
      String line = prefix(time.nowNanos(), actor) + what.get();
      keep(() -> line);
    }
  }

  private void keep(Line line) {
    if (lines.size() == MAX_LINES) {
      lines.removeFirst();
    }
    lines.addLast(line);
  }

  private static String prefix(long nanos, String actor) {
    return "%12.6f %-10s ".formatted(nanos / 1e9, actor);
  }

  private void mix(long value) {
    hash = Long.rotateLeft((hash ^ value) * 0x9E3779B97F4A7C15L, 31);
  }

  @Override
  public List<String> lines() {
    List<String> texts = new ArrayList<>(lines.size());
    lines.forEach(line -> texts.add(line.text()));
    return texts;
  }

  @Override
  public long hash() {
    return hash;
  }

  @Override
  public long events() {
    return events;
  }
}
