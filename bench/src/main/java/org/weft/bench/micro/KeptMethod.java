package org.weft.bench.micro;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Methods of classes that only their own packages use, for cases that put such a class beside a
 * library's. Held in a static final field, a handle costs no more than the call.
 */
final class KeptMethod {
  private KeptMethod() {}

  /**
   * A class that only its package may name.
   *
   * @throws IllegalStateException if there is none
   */
  static Class<?> type(String className) {
    try {
      return Class.forName(className);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(className + " is not there", e);
    }
  }

  /**
   * A constructor, which is called by {@code (arguments)Object}.
   *
   * @throws IllegalStateException if there is none
   */
  static MethodHandle constructor(String className, Class<?>... parameters) {
    Class<?> owner = type(className);
    try {
      MethodHandle found =
          MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
              .findConstructor(owner, MethodType.methodType(void.class, parameters));
      return found.asType(found.type().changeReturnType(Object.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(className + " has no such constructor", e);
    }
  }

  /**
   * A method, which is called by {@code (Object, arguments)result}; a result that is no primitive
   * is an Object.
   *
   * @throws IllegalStateException if there is none
   */
  static MethodHandle of(String className, String name, Class<?> result, Class<?>... parameters) {
    Class<?> owner = type(className);
    try {
      MethodHandle found =
          MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
              .findVirtual(owner, name, MethodType.methodType(result, parameters));
      MethodType type = found.type().changeParameterType(0, Object.class);
      return found.asType(result.isPrimitive() ? type : type.changeReturnType(Object.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(className + "." + name + " is not there", e);
    }
  }

  /**
   * A method of the class itself, which is called by {@code (arguments)result}.
   *
   * @throws IllegalStateException if there is none
   */
  static MethodHandle ofClass(
      String className, String name, Class<?> result, Class<?>... parameters) {
    Class<?> owner = type(className);
    try {
      return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
          .findStatic(owner, name, MethodType.methodType(result, parameters));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(className + "." + name + " is not there", e);
    }
  }
}
