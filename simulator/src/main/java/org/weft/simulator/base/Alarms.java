package org.weft.simulator.base;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.slf4j.LoggerFactory;

/**
 * Listens to the log instead of writing it. An error caused by a mistake in the program, and not by
 * a fault of the world, is a violation. That holds although the program went on. Kept for each
 * thread, which runs one world at a time.
 */
public final class Alarms extends AppenderBase<ILoggingEvent> {
  private static final int MAX_FRAMES = 6;
  private static final ThreadLocal<List<String>> HEARD = ThreadLocal.withInitial(ArrayList::new);
  private static final List<Class<? extends Throwable>> MISTAKES =
      List.of(
          NullPointerException.class,
          IndexOutOfBoundsException.class,
          ClassCastException.class,
          IllegalStateException.class,
          IllegalArgumentException.class,
          NoSuchElementException.class,
          UnsupportedOperationException.class,
          java.util.ConcurrentModificationException.class,
          ArithmeticException.class,
          java.nio.BufferOverflowException.class,
          java.nio.BufferUnderflowException.class,
          Error.class);

  private Alarms() {}

  /** Ends the listening, and lets the log be written as before. */
  public interface Installed extends AutoCloseable {
    @Override
    void close();
  }

  /** True for the name of a class that a program throws if it is wrong itself. */
  public static boolean isMistake(String className) {
    try {
      Class<?> thrown = Class.forName(className, false, Alarms.class.getClassLoader());
      // To give a call up is no mistake, though the platform tells of it by a kind of one.
      return thrown != Violation.class
          && !CancellationException.class.isAssignableFrom(thrown)
          && MISTAKES.stream().anyMatch(kind -> kind.isAssignableFrom(thrown));
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Begins to listen, for all threads; log lines are no longer written. */
  public static Installed install() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    List<Appender<ILoggingEvent>> before = new ArrayList<>();
    for (Iterator<Appender<ILoggingEvent>> each = root.iteratorForAppenders(); each.hasNext(); ) {
      before.add(each.next());
    }
    Level level = root.getLevel();
    Alarms alarms = new Alarms();
    alarms.setContext(context);
    alarms.start();
    before.forEach(root::detachAppender);
    root.addAppender(alarms);
    root.setLevel(Level.ERROR);
    return () -> {
      root.detachAppender(alarms);
      before.forEach(root::addAppender);
      root.setLevel(level);
    };
  }

  /** The alarms of this thread since the last call. */
  public static List<String> heard() {
    List<String> heard = List.copyOf(HEARD.get());
    HEARD.get().clear();
    return heard;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel() == Level.ERROR
        && event.getThrowableProxy() instanceof ThrowableProxy has) {
      mistake(has.getThrowable())
          .ifPresent(
              mistake -> HEARD.get().add(event.getFormattedMessage() + ": " + described(mistake)));
    }
  }

  private static Optional<Throwable> mistake(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      Throwable one = cause;
      if (MISTAKES.stream().anyMatch(kind -> kind.isInstance(one))) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  private static String described(Throwable mistake) {
    StringBuilder text = new StringBuilder(mistake.toString());
    StackTraceElement[] frames = mistake.getStackTrace();
    for (int i = 0; i < Math.min(MAX_FRAMES, frames.length); i++) {
      text.append("\n    at ").append(frames[i]);
    }
    return text.toString();
  }
}
