package org.weft.protocol.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Collects what Netty's leak detector finds, every buffer being tracked. Has to be touched before
 * the first buffer is made.
 */
final class LeakWatch {
  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  static {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          @SuppressWarnings("deprecation") // The one method that a factory has to have.
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int samplingInterval, long maxActive) {
            return new Collecting<>(resource, samplingInterval);
          }
        });
  }

  private LeakWatch() {}

  /** Makes sure that this class was loaded. */
  static void on() {
    if (ResourceLeakDetector.getLevel() != ResourceLeakDetector.Level.PARANOID) {
      throw new AssertionError("leak detection was turned off");
    }
  }

  /** Leaks found since the last look; garbage collections and new buffers bring them to light. */
  static List<String> found() {
    for (int round = 0; round < 3; round++) {
      System.gc();
      for (ByteBufAllocator allocator :
          List.of(PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT)) {
        allocator.directBuffer(16).release();
      }
    }
    List<String> found = new ArrayList<>();
    for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
      found.add(leak);
    }
    return found;
  }

  private static final class Collecting<T> extends ResourceLeakDetector<T> {
    Collecting(Class<T> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    protected boolean needReport() {
      return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      LEAKS.add(resourceType + ": " + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      LEAKS.add(resourceType);
    }
  }
}
