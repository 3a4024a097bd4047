package org.weft.bench.driven;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.weft.bench.load.BenchFiles;

/** A folder of this machine as a file system under load, which several processes may share. */
public record LocalBenchFiles(Path root) implements BenchFiles {
  private Path at(String path) {
    return root.resolve(path.substring(1));
  }

  @Override
  public void mkdirs(String path) throws IOException {
    var unused = Files.createDirectories(at(path));
  }

  @Override
  public Output create(String path) throws IOException {
    Files.deleteIfExists(at(path));
    var unused = Files.createFile(at(path));
    return append(path);
  }

  @Override
  public Output append(String path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(at(path).toFile(), "rw");
    file.seek(file.length());
    return new Output() {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        file.write(bytes, offset, length);
      }

      @Override
      public void flush() {}

      @Override
      public void sync() {}

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  @Override
  public Input open(String path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(at(path).toFile(), "r");
    return new Input() {
      @Override
      public void readFully(byte[] bytes, int length) throws IOException {
        file.readFully(bytes, 0, length);
      }

      @Override
      public void readFully(long positionBytes, byte[] bytes) throws IOException {
        synchronized (file) {
          file.seek(positionBytes);
          file.readFully(bytes);
        }
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  @Override
  public long lengthBytes(String path) throws IOException {
    return Files.exists(at(path)) ? Files.size(at(path)) : -1;
  }

  @Override
  public void stat(String path) throws IOException {
    var unused = Files.getLastModifiedTime(at(path));
  }

  @Override
  public int list(String path) throws IOException {
    try (Stream<Path> entries = Files.list(at(path))) {
      return (int) entries.count();
    }
  }

  @Override
  public void rename(String source, String target) throws IOException {
    var unused = Files.move(at(source), at(target), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String path) throws IOException {
    Files.delete(at(path));
  }

  @Override
  public void deleteTree(String path) throws IOException {
    if (Files.exists(at(path))) {
      List<Path> all;
      try (Stream<Path> entries = Files.walk(at(path))) {
        all = entries.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path each : all) {
        Files.delete(each);
      }
    }
  }

  @Override
  public void close() {}
}
