package org.weft.simulator.coverage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Calls {@link Hits} before the first instruction of a line, behind the frame that is there. */
final class CountingMethod extends MethodVisitor {
  private final IntFunction<List<Integer>> rowsAt;
  private final Set<Integer> counted = new HashSet<>();
  private final List<Integer> due = new ArrayList<>();

  CountingMethod(MethodVisitor next, IntFunction<List<Integer>> rowsAt) {
    super(Opcodes.ASM9, next);
    this.rowsAt = rowsAt;
  }

  @Override
  public void visitLineNumber(int line, Label start) {
    super.visitLineNumber(line, start);
    if (counted.add(line)) {
      due.addAll(rowsAt.apply(line));
    }
  }

  private void count() {
    List<Integer> rows = List.copyOf(due);
    due.clear();
    for (int row : rows) {
      super.visitLdcInsn(row);
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC, Type.getInternalName(Hits.class), "hit", "(I)V", false);
    }
  }

  @Override
  public void visitInsn(int opcode) {
    count();
    super.visitInsn(opcode);
  }

  @Override
  public void visitIntInsn(int opcode, int operand) {
    count();
    super.visitIntInsn(opcode, operand);
  }

  @Override
  public void visitVarInsn(int opcode, int variable) {
    count();
    super.visitVarInsn(opcode, variable);
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    super.visitTypeInsn(opcode, type);
    // Frames name what is not initialized yet by where its NEW is: that stays the first.
    count();
  }

  @Override
  public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
    count();
    super.visitFieldInsn(opcode, owner, name, descriptor);
  }

  @Override
  public void visitMethodInsn(
      int opcode, String owner, String name, String descriptor, boolean ofInterface) {
    count();
    super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
  }

  @Override
  public void visitInvokeDynamicInsn(
      String name, String descriptor, Handle bootstrap, Object... arguments) {
    count();
    super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    count();
    super.visitJumpInsn(opcode, label);
  }

  @Override
  public void visitLdcInsn(Object value) {
    count();
    super.visitLdcInsn(value);
  }

  @Override
  public void visitIincInsn(int variable, int increment) {
    count();
    super.visitIincInsn(variable, increment);
  }

  @Override
  public void visitTableSwitchInsn(int least, int most, Label other, Label... labels) {
    count();
    super.visitTableSwitchInsn(least, most, other, labels);
  }

  @Override
  public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
    count();
    super.visitLookupSwitchInsn(other, keys, labels);
  }

  @Override
  public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
    count();
    super.visitMultiANewArrayInsn(descriptor, dimensions);
  }
}
