package org.weft.cli.daemon;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * Where log lines go. Without a call here, warnings and errors go to standard error ({@code
 * logback.xml}).
 */
public final class Logs {
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{24} - " + LogPattern.MESSAGE;
  private static final String LIBRARIES_ARE_QUIET =
      "org.apache.ratis,org.eclipse.jetty,io.netty,io.grpc";

  private Logs() {}

  /**
   * Writes INFO and above to a file that is rolled at 16 MiB, four times; WARN and above of
   * libraries.
   */
  public static void toFile(Path file) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();

    RollingFileAppender<ch.qos.logback.classic.spi.ILoggingEvent> appender =
        new RollingFileAppender<>();
    appender.setContext(context);
    appender.setFile(file.toString());
    appender.setEncoder(encoder);

    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(context);
    rolling.setParent(appender);
    rolling.setFileNamePattern(file + ".%i");
    rolling.setMinIndex(1);
    rolling.setMaxIndex(4);
    rolling.start();
    SizeBasedTriggeringPolicy<ch.qos.logback.classic.spi.ILoggingEvent> trigger =
        new SizeBasedTriggeringPolicy<>();
    trigger.setContext(context);
    trigger.setMaxFileSize(FileSize.valueOf("16MB"));
    trigger.start();
    appender.setRollingPolicy(rolling);
    appender.setTriggeringPolicy(trigger);
    appender.start();

    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(appender);
    root.setLevel(Level.INFO);
    for (String library : LIBRARIES_ARE_QUIET.split(",", -1)) {
      context.getLogger(library).setLevel(Level.WARN);
    }
  }
}
