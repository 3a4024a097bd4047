package org.weft.simulator.base;

import java.util.SplittableRandom;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** What all nodes of a world share. */
public record SimContext(
    WorldOptions options,
    VirtualTime time,
    VirtualWire wire,
    TraceLog trace,
    AnswerCheck answers,
    PayloadCheck payloads) {
  public static SimContext of(WorldOptions options) {
    VirtualTime time = new VirtualTime(options.seed());
    VirtualWire wire = new VirtualWire(time, mix(options.seed(), "wire"));
    TraceLog trace = new TraceLog(time, options.traced());
    AnswerCheck answers = new AnswerCheck(trace);
    PayloadCheck payloads = new PayloadCheck(answers);
    wire.observer(payloads);
    return new SimContext(options, time, wire, trace, answers, payloads);
  }

  /** Numbers of the seed for one purpose. */
  public SplittableRandom random(String purpose) {
    return new SplittableRandom(mix(options.seed(), purpose));
  }

  private static long mix(long seed, String purpose) {
    long mixed = seed * 0x9E3779B97F4A7C15L + purpose.hashCode();
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    return mixed ^ (mixed >>> 27);
  }
}
