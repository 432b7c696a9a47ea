//! The tests of the chapter, in one program, so that they are linked once.
