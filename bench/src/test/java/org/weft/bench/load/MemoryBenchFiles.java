package org.weft.bench.load;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;

/** Files in memory that obey. */
final class MemoryBenchFiles implements BenchFiles {
  final NavigableMap<String, byte[]> files = new ConcurrentSkipListMap<>();
  private final Set<String> directories = new ConcurrentSkipListSet<>();

  @Override
  public void mkdirs(String path) {
    directories.add(path);
  }

  @Override
  public Output create(String path) {
    files.put(path, new byte[0]);
    return append(path);
  }

  @Override
  public Output append(String path) {
    return new Output() {
      @Override
      public void write(byte[] bytes, int offset, int length) {
        byte[] old = files.get(path);
        byte[] grown = Arrays.copyOf(old, old.length + length);
        System.arraycopy(bytes, offset, grown, old.length, length);
        files.put(path, grown);
      }

      @Override
      public void flush() {}

      @Override
      public void sync() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public Update update(String path, boolean gathered) throws IOException {
    byte[] content = require(path);
    return new Update() {
      @Override
      public void write(long positionBytes, byte[] bytes, int length) {
        System.arraycopy(bytes, 0, content, (int) positionBytes, length);
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public Update updateStable(String path) throws IOException {
    var unused = require(path);
    return new Update() {
      @Override
      public void write(long positionBytes, byte[] bytes, int length) {
        byte[] old = files.get(path);
        int end = (int) positionBytes + length;
        byte[] next = Arrays.copyOf(old, Math.max(old.length, end));
        System.arraycopy(bytes, 0, next, (int) positionBytes, length);
        files.put(path, next);
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public Input open(String path) throws IOException {
    byte[] content = require(path);
    return new Input() {
      private int position;

      @Override
      public void readFully(byte[] bytes, int length) {
        System.arraycopy(content, position, bytes, 0, length);
        position += length;
      }

      @Override
      public void readFully(long positionBytes, byte[] bytes) {
        System.arraycopy(content, (int) positionBytes, bytes, 0, bytes.length);
      }

      @Override
      public void close() {}
    };
  }

  private byte[] require(String path) throws IOException {
    byte[] content = files.get(path);
    if (content == null) {
      throw new FileNotFoundException(path);
    }
    return content;
  }

  @Override
  public long lengthBytes(String path) {
    byte[] content = files.get(path);
    return content == null ? -1 : content.length;
  }

  @Override
  public void stat(String path) throws IOException {
    if (directories.contains(path)) {
      return;
    }
    var unused = require(path);
  }

  @Override
  public int list(String path) {
    return files.subMap(path + "/", path + "0").size();
  }

  @Override
  public void rename(String source, String target) throws IOException {
    files.put(target, require(source));
    files.remove(source);
  }

  @Override
  public void delete(String path) throws IOException {
    var unused = require(path);
    files.remove(path);
  }

  @Override
  public void deleteTree(String path) {
    files.subMap(path + "/", path + "0").clear();
  }

  @Override
  public void close() {}
}
