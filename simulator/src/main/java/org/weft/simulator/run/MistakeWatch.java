package org.weft.simulator.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.weft.simulator.base.Alarms;

/**
 * Records every mistake that Weft's classes throw, wherever it ends. That includes a future that is
 * never looked at, which no log and no caller sees. The machine itself records what is thrown.
 */
public final class MistakeWatch {
  private static final int MAX_FRAMES = 5;

  /** A mistake may be noticed by a class of the platform that was called. */
  private static final int NEAR_FRAMES = 3;

  private final Recording recording = new Recording();

  /** Begins to listen. */
  public MistakeWatch() {
    recording.enable("jdk.JavaExceptionThrow").withStackTrace();
    recording.enable("jdk.JavaErrorThrow").withStackTrace();
    recording.start();
  }

  /** Ends the listening: the mistakes, each with its place. */
  public SortedSet<String> end() throws IOException {
    Path file = Files.createTempFile("weft-mistakes", ".jfr");
    SortedSet<String> mistakes = new TreeSet<>();
    try (recording) {
      recording.stop();
      recording.dump(file);
      for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
        if (event.hasField("thrownClass") && event.getStackTrace() != null) {
          List<String> frames = frames(event.getStackTrace().getFrames());
          String thrown = event.getClass("thrownClass").getName();
          if (Alarms.isMistake(thrown)
              && frames.stream().limit(NEAR_FRAMES).anyMatch(MistakeWatch::isOurs)) {
            mistakes.add(
                thrown
                    + ": "
                    + event.getString("message")
                    + frames.stream()
                        .limit(MAX_FRAMES)
                        .map(frame -> "\n    at " + frame)
                        .collect(Collectors.joining()));
          }
        }
      }
    } finally {
      Files.delete(file);
    }
    return mistakes;
  }

  /** Where it was thrown, without the making of the exception itself. */
  private static List<String> frames(List<RecordedFrame> all) {
    return all.stream()
        .dropWhile(frame -> frame.getMethod().getName().equals("<init>"))
        .map(
            frame ->
                frame.getMethod().getType().getName()
                    + "."
                    + frame.getMethod().getName()
                    + ":"
                    + frame.getLineNumber())
        .toList();
  }

  private static boolean isOurs(String frame) {
    return frame.startsWith("org.weft.") && !frame.startsWith("org.weft.simulator.model.");
  }
}
