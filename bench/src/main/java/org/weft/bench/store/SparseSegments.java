package org.weft.bench.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * Segment files that have a length and no bytes. What is written is dropped, so that a store can be
 * made to hold more than the disk. What is read is zeros.
 */
final class SparseSegments implements SegmentDirectory {
  private final Path folder;

  SparseSegments(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
  }

  @Override
  public SegmentFile open(String name) throws IOException {
    if (!Files.exists(folder.resolve(name))) {
      throw new NoSuchFileException(name);
    }
    return new Sparse(folder.resolve(name));
  }

  @Override
  public SegmentFile create(String name) throws IOException {
    if (Files.exists(folder.resolve(name))) {
      throw new FileAlreadyExistsException(name);
    }
    return new Sparse(folder.resolve(name));
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Files.delete(folder.resolve(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(folder.resolve(from), folder.resolve(to));
  }

  @Override
  public void sync() {}

  /** A file of that length. */
  private static final class Sparse implements SegmentFile {
    private final RandomAccessFile file;

    Sparse(Path path) throws IOException {
      file = new RandomAccessFile(path.toFile(), "rw");
    }

    @Override
    public long sizeBytes() throws IOException {
      return file.length();
    }

    @Override
    public void read(ByteBuffer target, long offsetBytes) {
      while (target.hasRemaining()) {
        target.put((byte) 0);
      }
    }

    @Override
    public void write(ByteBuffer[] sources, long offsetBytes) {
      for (ByteBuffer source : sources) {
        source.position(source.limit());
      }
    }

    @Override
    public void resize(long sizeBytes) throws IOException {
      file.setLength(sizeBytes);
    }

    @Override
    public void sync() {}

    @Override
    public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
      return Payload.EMPTY;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
