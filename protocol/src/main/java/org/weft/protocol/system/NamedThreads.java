package org.weft.protocol.system;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Daemon threads: the first has the plain name, others a number behind it. */
final class NamedThreads implements ThreadFactory {
  private final String name;
  private final AtomicInteger made = new AtomicInteger();

  NamedThreads(String name) {
    this.name = name;
  }

  /** True if the calling thread was made here. */
  boolean isCurrent() {
    return Thread.currentThread() instanceof OwnedThread thread && thread.maker == this;
  }

  @Override
  public Thread newThread(Runnable task) {
    int number = made.incrementAndGet();
    return new OwnedThread(this, task, number == 1 ? name : name + "-" + number);
  }

  /** A thread that knows its maker. */
  private static final class OwnedThread extends Thread {
    private final NamedThreads maker;

    OwnedThread(NamedThreads maker, Runnable task, String name) {
      super(task, name);
      this.maker = maker;
      setDaemon(true);
    }
  }
}
