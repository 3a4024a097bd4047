package org.weft.bench.micro;

import com.google.protobuf.MessageLite;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.WeftException;

/**
 * What a manager's one thread does for a request: its checks, the decision, the record and its
 * effects on the state. Frames, the journal's disk and OSDs are not in it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = "-Xmx1g")
public class ManagerBenchmark {
  private static final int CHANGES = 4_000;
  private static final int DIRECTORIES = 100;
  private static final int FILES_OF_DIRECTORY = 100;

  /** Changes make a volume grow: each run of them begins with another. */
  @State(Scope.Thread)
  public static class Fresh {
    private BenchedVolume volume;
    private final String[] names = new String[CHANGES];
    private final NodePath[] paths = new NodePath[CHANGES];
    private final NodePath[] targets = new NodePath[CHANGES];

    @Setup(Level.Trial)
    public void name() {
      for (int i = 0; i < CHANGES; i++) {
        names[i] = "file-" + i;
        paths[i] = BenchedVolume.path("directory", names[i]);
        targets[i] = BenchedVolume.path("directory", "renamed-" + i);
      }
    }

    @Setup(Level.Invocation)
    public void format() throws WeftException {
      volume = new BenchedVolume();
      volume.makeDirectory("directory");
      fill();
    }

    void fill() throws WeftException {}
  }

  /** The same with files in it. */
  @State(Scope.Thread)
  public static class Filled extends Fresh {
    @Override
    void fill() throws WeftException {
      for (String name : super.names) {
        super.volume.create("directory", name);
      }
    }
  }

  /** A volume of ten thousand files that no client changes. */
  @State(Scope.Thread)
  public static class Standing {
    private BenchedVolume volume;
    private int next;

    @Setup(Level.Trial)
    public void fill() throws WeftException {
      volume = new BenchedVolume();
      for (int directory = 0; directory < DIRECTORIES; directory++) {
        volume.makeDirectory("directory-" + directory);
        for (int file = 0; file < FILES_OF_DIRECTORY; file++) {
          volume.create("directory-" + directory, "file-" + file);
        }
      }
    }
  }

  /** A file made and closed: two requests, two records. */
  @Benchmark
  @OperationsPerInvocation(CHANGES)
  public MessageLite createAndClose(Fresh fresh) throws WeftException {
    MessageLite last = null;
    for (String name : fresh.names) {
      last = fresh.volume.create("directory", name);
    }
    return last;
  }

  /** The attributes of a file two levels below the root. */
  @Benchmark
  public MessageLite stat(Standing standing) throws WeftException {
    standing.next = (standing.next + 7_919) % (DIRECTORIES * FILES_OF_DIRECTORY);
    return standing.volume.attributes(
        "directory-" + standing.next / FILES_OF_DIRECTORY,
        "file-" + standing.next % FILES_OF_DIRECTORY);
  }

  /** Another name for a file within its directory. */
  @Benchmark
  @OperationsPerInvocation(CHANGES)
  public MessageLite rename(Filled filled) throws WeftException {
    Fresh fresh = filled;
    MessageLite last = null;
    for (int i = 0; i < CHANGES; i++) {
      last = fresh.volume.rename(fresh.paths[i], fresh.targets[i]);
    }
    return last;
  }
}
