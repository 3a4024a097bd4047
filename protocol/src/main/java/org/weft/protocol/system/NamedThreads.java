package org.weft.protocol.system;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Daemon threads: the first has the plain name, others a number behind it. */
final class NamedThreads implements ThreadFactory {
  private final String name;
  private final AtomicInteger made = new AtomicInteger();
  private final ThreadGroup group =
      new ThreadGroup(Thread.currentThread().getThreadGroup(), "weft");

  NamedThreads(String name) {
    this.name = name;
  }

  /** True if the calling thread was made here. */
  boolean isCurrent() {
    return Thread.currentThread().getThreadGroup() == group;
  }

  @Override
  public Thread newThread(Runnable task) {
    int number = made.incrementAndGet();
    Thread thread = new Thread(group, task, number == 1 ? name : name + "-" + number);
    thread.setDaemon(true);
    return thread;
  }
}
