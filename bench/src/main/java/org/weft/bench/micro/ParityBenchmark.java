package org.weft.bench.micro;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;

/** One stripe of the erasure code: made, and rebuilt after losses. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ParityBenchmark {
  @Param({"4+1", "4+2", "8+3"})
  public String code;

  private ErasureCode erasureCode;
  private ByteBuffer[] data;
  private ByteBuffer[] parity;

  /** Random data units and room for their parity. */
  @Setup
  public void fill() {
    String[] parts = code.split("\\+", 2);
    erasureCode = new ErasureCode(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    data = units(erasureCode.dataUnits());
    parity = units(erasureCode.parityUnits());
    SplittableRandom random = new SplittableRandom(1);
    byte[] noise = new byte[Layout.DEFAULT_UNIT_BYTES];
    for (ByteBuffer unit : data) {
      random.nextBytes(noise);
      unit.put(0, noise);
    }
    erasureCode.encode(data, parity);
  }

  private static ByteBuffer[] units(int count) {
    ByteBuffer[] units = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      units[i] = ByteBuffer.allocateDirect(Layout.DEFAULT_UNIT_BYTES);
    }
    return units;
  }

  /** All parity units of a stripe. */
  @Benchmark
  public void encode() {
    erasureCode.encode(data, parity);
  }

  /** The difference of two units, as an XOR write computes it that has read the old bytes. */
  @Benchmark
  public void difference() {
    erasureCode.add(parity[0], data[0]);
  }

  /** One data unit from the others and the first parity. */
  @Benchmark
  public ByteBuffer rebuildOne() {
    ByteBuffer[] units = new ByteBuffer[data.length + parity.length];
    System.arraycopy(data, 1, units, 1, data.length - 1);
    units[data.length] = parity[0];
    ByteBuffer[] wanted = new ByteBuffer[units.length];
    wanted[0] = data[0];
    erasureCode.reconstruct(units, wanted);
    return wanted[0];
  }
}
