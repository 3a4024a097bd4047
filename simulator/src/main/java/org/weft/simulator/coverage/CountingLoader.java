package org.weft.simulator.coverage;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads Weft's classes again, with calls of {@link Hits} in the lines that rows name. A line that
 * declares a method stands for its first statement. A line within a statement stands for that
 * statement.
 */
public final class CountingLoader extends ClassLoader {
  private static final String OURS = "org.weft.";

  private final List<RuleRow> rows;

  /** Classes that are not Weft's come from the other one. */
  public CountingLoader(List<RuleRow> rows, ClassLoader parent) {
    super(parent);
    this.rows = List.copyOf(rows);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS) || name.equals(Hits.class.getName())) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : findClass(name);
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = bytesOf(name);
    byte[] counted = counted(name, bytes);
    return defineClass(name, counted, 0, counted.length);
  }

  private byte[] bytesOf(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] counted(String name, byte[] bytes) {
    List<Integer> wanted = new ArrayList<>();
    for (int row = 0; row < rows.size(); row++) {
      if (rows.get(row).isIn(name)) {
        wanted.add(row);
      }
    }
    if (wanted.isEmpty()) {
      return bytes;
    }
    ClassReader reader = new ClassReader(bytes);
    // Nothing is left on the stack, and nothing jumps: the frames stay what they are.
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(new Counting(writer, places(reader, wanted)), 0);
    return writer.toByteArray();
  }

  /** A row, and the line of the class file in which it is counted. */
  private record Place(int row, int line) {}

  private List<Place> places(ClassReader reader, List<Integer> numbers) {
    NavigableSet<Integer> lines = Lines.of(reader);
    List<Place> places = new ArrayList<>();
    for (int row : numbers) {
      RuleRow wanted = rows.get(row);
      Integer line = wanted.declares() ? lines.higher(wanted.line()) : lines.floor(wanted.line());
      if (line != null) {
        places.add(new Place(row, line));
      }
    }
    return places;
  }

  /** True if a class that is loaded by its parent has a statement where the row says. */
  boolean isCountable(RuleRow row) throws ClassNotFoundException {
    ClassReader reader = new ClassReader(bytesOf(row.className()));
    return !places(reader, List.of(rows.indexOf(row))).isEmpty();
  }

  /** The lines of a class that have statements. */
  private static final class Lines extends ClassVisitor {
    private final NavigableSet<Integer> lines = new TreeSet<>();

    private Lines() {
      super(Opcodes.ASM9);
    }

    static NavigableSet<Integer> of(ClassReader reader) {
      Lines visitor = new Lines();
      reader.accept(visitor, ClassReader.SKIP_FRAMES);
      return visitor.lines;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitLineNumber(int line, Label start) {
          lines.add(line);
        }
      };
    }
  }

  /** Adds the calls. */
  private static final class Counting extends ClassVisitor {
    private final List<Place> places;

    Counting(ClassVisitor next, List<Place> places) {
      super(Opcodes.ASM9, next);
      this.places = places;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      return new CountingMethod(
          super.visitMethod(access, name, descriptor, signature, exceptions), this::rowsAt);
    }

    private List<Integer> rowsAt(int line) {
      return places.stream().filter(place -> place.line() == line).map(Place::row).toList();
    }
  }
}
